#!/bin/sh
# Makes the cluster of the six nodes, unless it is there.
set -eu
nodes=""
for i in 0 1 2 3 4 5; do
  until redis-cli -h "redis-$i.redis" ping 2>/dev/null | grep -q PONG; do sleep 1; done
  address="$(getent hosts "redis-$i.redis" | awk '{print $1; exit}')"
  nodes="$nodes $address:6379"
done
if redis-cli -h redis-0.redis cluster info | grep -q '^cluster_state:ok'; then echo "The cluster is there."; exit 0; fi
# shellcheck disable=SC2086
exec redis-cli --cluster create $nodes --cluster-replicas 1 --cluster-yes
