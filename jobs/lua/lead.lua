-- Takes or renews leadership, or gives it up (life 0). KEYS: leader    ARGV: who, life (ms)
local led = redis.call('GET', KEYS[1])
if led and led ~= ARGV[1] then return 0 end
if ARGV[2] == '0' then return redis.call('DEL', KEYS[1]) end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
