"""The big cup in small: what `make cup` runs, with a dozen players."""

from cup import run


def test_a_cup_adds_up_though_its_players_drop_their_connections_and_come_back(capsys):
    run(players=12, cups=2, seed=4)
    assert "cup 2: 12 players, 66 games" in capsys.readouterr().out
