#!lua
-- Drops what every group has acknowledged. KEYS: topic
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local function parts(id)
  local time, number = string.match(id, '^(%d+)-(%d+)$')
  return tonumber(time), tonumber(number)
end
local first_time, first_number
for _, info in ipairs(redis.call('XINFO', 'GROUPS', KEYS[1])) do
  local group = {}
  for at = 1, #info, 2 do group[info[at]] = info[at + 1] end
  local time, number
  if group.pending > 0 then
    time, number = parts(redis.call('XPENDING', KEYS[1], group.name)[2])
  else
    time, number = parts(group['last-delivered-id'])
    number = number + 1
  end
  if not first_time or time < first_time or (time == first_time and number < first_number) then
    first_time, first_number = time, number
  end
end
if not first_time then return 0 end
return redis.call('XTRIM', KEYS[1], 'MINID', string.format('%.0f-%.0f', first_time, first_number))
