#!/usr/bin/env bash
# Plays a match of roshambo with whoever comes, ROCK all the way, in nothing but bash: ./rock.sh NAME [PORT]
[ $# -gt 0 ] || { echo "usage: $0 NAME [PORT]" >&2; exit 1; }
port=${2:-7777}
{ exec 3<>"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null || { echo "no server on port $port" >&2; exit 1; }
echo "REQ 1 session.hello {\"version\": 1}
REQ 2 session.login {\"player\": \"$1\"}
REQ 3 lobby.subscribe {\"game\": \"roshambo\"}" >&3
while read -r line <&3; do
  echo "$line"
  read -r _ match word _ <<<"$line"
  case $word in
    game.your_turn) echo "REQ 4 $match game.action {\"type\": \"move\", \"move\": \"ROCK\"}" >&3 ;;
    game.result) echo "REQ 5 session.logout" >&3 ;; # frees the name; then the server closes
    ERR) exit 1 ;;
  esac
done
