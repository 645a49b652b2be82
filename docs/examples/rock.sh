#!/usr/bin/env bash
# Plays a match of roshambo with whoever comes, ROCK all the way, in nothing but bash: ./rock.sh NAME [PORT]
exec 3<>"/dev/tcp/127.0.0.1/${2:-7777}"
echo "REQ 1 session.hello {\"version\": 1}
REQ 2 session.login {\"player\": \"$1\"}
REQ 3 lobby.subscribe {\"game\": \"roshambo\"}" >&3
while read -r line <&3; do
  echo "$line"
  read -r _ match word _ <<<"$line"
  case $word in
    game.your_turn) echo "REQ 4 $match game.action {\"type\": \"move\", \"move\": \"ROCK\"}" >&3 ;;
    game.result | ERR) break ;;
  esac
done
