import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isConnectionLoss } from './connection.ts'

const losses = [
  { code: '08006', message: 'connection to the remote node gatehouse_app@10.0.0.2:5432 failed' },
  { code: '57P01', message: 'terminating connection due to administrator command' },
  { code: 'ECONNREFUSED', message: 'connect ECONNREFUSED' },
  { message: 'Connection terminated unexpectedly' },
  // As Citus passed them on when a worker was killed.
  { code: 'XX000', message: 'failure on connection marked as essential: 10.0.0.2:5432' },
  { code: 'XX000', message: 'SSL SYSCALL error: EOF detected' },
  { code: 'XX000', message: 'server closed the connection unexpectedly' },
]

const others = [
  { code: 'XX000', message: 'could not determine data type of parameter $1' },
  { code: '22001', message: 'SSL SYSCALL error: EOF detected' },
  { code: '42501', message: 'permission denied for table person' },
  { code: '25P02', message: 'current transaction is aborted, commands ignored until end of transaction block' },
]

for (const error of losses) test(`${error.message} is a lost connection`, () => assert.ok(isConnectionLoss(error)))
for (const error of others) test(`${error.code} ${error.message} is not one`, () => assert.ok(!isConnectionLoss(error)))
