#!/bin/sh
# Starts one Redis: as a replica of whom the Sentinels name, or, as long as nobody knows anything, of the first.
set -eu
me="$(hostname).redis"
master=""
for i in 0 1 2; do
  answer="$(timeout 2 redis-cli -h "sentinel-$i.sentinel" -p 26379 --raw sentinel get-master-addr-by-name nigiri 2>/dev/null | head -n 1)" || answer=""
  if [ -n "$answer" ]; then master="$answer"; break; fi
done
[ -n "$master" ] || master="redis-0.redis"
set -- /etc/redis/redis.conf --replica-announce-ip "$me"
if [ "$master" = "$me" ]; then exec redis-server "$@"; fi
exec redis-server "$@" --replicaof "$master" 6379
