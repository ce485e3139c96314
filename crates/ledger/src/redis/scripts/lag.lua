#!lua
-- How much a group has not acknowledged. KEYS: topic. ARGV: 1 group
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
for _, info in ipairs(redis.call('XINFO', 'GROUPS', KEYS[1])) do
  local group = {}
  for at = 1, #info, 2 do group[info[at]] = info[at + 1] end
  if group.name == ARGV[1] then
    local lag = group.lag
    -- Redis does not always know it.
    if not lag then lag = #redis.call('XRANGE', KEYS[1], '(' .. group['last-delivered-id'], '+') end
    return group.pending + lag
  end
end
return redis.call('XLEN', KEYS[1])
