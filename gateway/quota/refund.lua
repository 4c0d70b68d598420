-- Takes an admitted call back: the counter of its month, if it is still kept, and an opposite ledger entry.
--
-- KEYS  1 counter of the account and month   2 ledger stream   3 the generation of the counters in use
-- ARGV  1 entry id  2 account  3 credential  4 tool  5 cost  6 clock at the admission in microseconds
--       7 the generation that must be in use, or "" for any
-- Gives 1, or 0 and changes nothing when another generation is in use.

local in_use = redis.call('GET', KEYS[3])
-- A replica has the key too: a generation belongs to one run of one server.
local server = in_use and redis.pcall('INFO', 'server')
local run = type(server) == 'string' and string.match(server, 'run_id:(%w+)')
if run and string.sub(in_use, -#run) ~= run then
  in_use = 'of another run'
end
-- In a cluster the run of the shard's server stands behind the generation.
in_use = in_use and string.match(in_use, '^[^/]*')
if ARGV[7] ~= '' and in_use ~= ARGV[7] then
  return 0
end
if redis.call('EXISTS', KEYS[1]) == 1 then
  redis.call('DECRBY', KEYS[1], ARGV[5])
end
redis.call('XADD', KEYS[2], '*', 'entry_id', ARGV[1] .. ':refund', 'account_id', ARGV[2],
  'credential_id', ARGV[3], 'tool', ARGV[4], 'admitted_at', ARGV[6], 'cost', '-' .. ARGV[5])
return 1
