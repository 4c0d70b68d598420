-- Takes an admitted call back: the counter of its month, if it is still kept, and an opposite ledger entry.
--
-- KEYS  1 counter of the account and month   2 ledger stream
-- ARGV  1 entry id  2 account  3 credential  4 tool  5 cost  6 clock at the admission in microseconds

if redis.call('EXISTS', KEYS[1]) == 1 then
  redis.call('DECRBY', KEYS[1], ARGV[5])
end
redis.call('XADD', KEYS[2], '*', 'entry_id', ARGV[1] .. ':refund', 'account_id', ARGV[2],
  'credential_id', ARGV[3], 'tool', ARGV[4], 'admitted_at', ARGV[6], 'cost', '-' .. ARGV[5])
