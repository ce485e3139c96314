#!lua
-- Appends one entry: checks first and writes last, since Redis takes nothing back.
-- KEYS: log, deadlines, heart, outages, wake channel, hint channel, then the topic of each notice
-- ARGV: 1 log's name, 2 expected number, 3 next number, 4 payload, 5 not_after, 6 not_before ('' for none), 7 settled_until,
--       8 deadline's mode (keep, clear, after, at), 9 its milliseconds, 10 outage_after, 11 topics for the hint, then the notices
-- Answer: code, and with it: 0 accepted: stamp; 1 conflict: last; 2 too late, 3 too early: now; 4 outage: now, from, to, from, to, ..
local last, stamp = '0', 0
local entry = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if entry then
  last = string.match(entry[1], '^%d+')
  stamp = tonumber(entry[2][2])
end
if last ~= ARGV[2] then return {1, tonumber(last)} end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local beat = tonumber(redis.call('HGET', KEYS[3], 'beat') or nil)
if beat and beat > now then now = beat end
if stamp > now then now = stamp end

local function unsettled()
  local found = {4, now}
  local settled = tonumber(ARGV[7])
  for _, outage in ipairs(redis.call('LRANGE', KEYS[4], 0, -1)) do
    local from, to = string.match(outage, '^(%d+) (%d+)$')
    if tonumber(to) > settled then
      found[#found + 1] = tonumber(from)
      found[#found + 1] = tonumber(to)
    end
  end
  if beat and now - beat > tonumber(ARGV[10]) and now > settled then
    found[#found + 1] = beat
    found[#found + 1] = now
  end
  return #found > 2 and found or nil
end

if ARGV[5] ~= '' and now > tonumber(ARGV[5]) then return unsettled() or {2, now} end
if ARGV[6] ~= '' then
  if now < tonumber(ARGV[6]) then return {3, now} end
  local outages = unsettled()
  if outages then return outages end
end

local text = string.format('%.0f', now)
redis.call('XADD', KEYS[1], ARGV[3] .. '-0', 't', text, 'p', ARGV[4])
local mode = ARGV[8]
if mode == 'clear' then
  redis.call('ZREM', KEYS[2], ARGV[1])
elseif mode ~= 'keep' then
  if redis.call('PTTL', KEYS[1]) >= 0 then
    redis.call('ZREM', KEYS[2], ARGV[1])
  else
    local deadline = ARGV[9]
    if mode == 'after' then deadline = string.format('%.0f', now + tonumber(deadline)) end
    redis.call('ZADD', KEYS[2], deadline, ARGV[1])
  end
end
for notice = 7, #KEYS do
  redis.call('XADD', KEYS[notice], '*', 'p', ARGV[notice + 5])
end
redis.call('SPUBLISH', KEYS[5], ARGV[1] .. ' ' .. ARGV[3] .. ' ' .. text .. '\n' .. ARGV[4])
if #KEYS > 6 then redis.call('SPUBLISH', KEYS[6], ARGV[11]) end
return {0, now}
