-- Lets nobody's turn at a model key begin before a wait is over.
-- KEYS: limits
-- ARGV: wait (ms), how long what is known is kept (ms)
local time = redis.call('TIME')
local ends = time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[1])
local known = tonumber(redis.call('HGET', KEYS[1], 'until') or 0)
redis.call('HSET', KEYS[1], 'until', string.format('%.0f', math.max(known, ends)))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
