#!lua
-- Drops entries before ARGV[1], the last one never. KEYS: log
local entry = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if not entry then return 0 end
local last = tonumber(string.match(entry[1], '^%d+'))
local first = math.min(last, tonumber(ARGV[1]))
return redis.call('XTRIM', KEYS[1], 'MINID', string.format('%.0f', first))
