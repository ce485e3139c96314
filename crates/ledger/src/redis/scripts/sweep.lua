#!lua
-- Beats the heart of partitions and finds what is due.
-- KEYS: heart, outages, deadlines of each partition
-- ARGV: 1 limit, 2 pause, 3 outage_after, 4 outages kept
-- Answer: the raw clock, then for each partition a list of name, deadline, name, deadline, ..
local time = redis.call('TIME')
local raw = time[1] * 1000 + math.floor(time[2] / 1000)
local answer = {raw}
for at = 1, #KEYS, 3 do
  local heart = redis.call('HMGET', KEYS[at], 'beat', 'swept')
  local beat, swept = tonumber(heart[1] or nil), tonumber(heart[2] or nil)
  local due = {}
  if not swept or swept > raw or raw - swept >= tonumber(ARGV[2]) then
    local now = raw
    if beat and beat > now then now = beat end
    if beat and now - beat > tonumber(ARGV[3]) then
      redis.call('RPUSH', KEYS[at + 1], string.format('%.0f %.0f', beat, now))
      redis.call('LTRIM', KEYS[at + 1], -tonumber(ARGV[4]), -1)
    end
    local text = string.format('%.0f', now)
    redis.call('HSET', KEYS[at], 'beat', text, 'swept', string.format('%.0f', raw))
    due = redis.call('ZRANGE', KEYS[at + 2], '-inf', text, 'BYSCORE', 'LIMIT', 0, ARGV[1], 'WITHSCORES')
  end
  answer[#answer + 1] = due
end
return answer
