import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemActor } from '../../kernel/access/actor.ts'
import { openStream } from './stream.ts'

const at = (id: number) => ({ id, at: 5 })
const open = () => openStream({ actor: systemActor(1, 'test'), sessionId: '', openedAt: 0 }, at(1), () => {})

test('what waits for a slow reader is a set of names, sent as one event', () => {
  const stream = open()
  assert.match(stream.take(), /^retry: \d+\nid: 1-5\n: nothing new\n\n$/)
  assert.equal(stream.take(), '')
  for (let id = 2; id < 10_000; id++) stream.tell(['findings', 'teams'], at(id))
  assert.equal(stream.take(), 'id: 9999-5\nevent: changed\ndata: {"changed":["findings","teams"]}\n\n')
  assert.equal(stream.take(), '')
})

test('a beat has the place up to which all was told', () => {
  const stream = open()
  stream.take()
  stream.beat(at(7))
  assert.equal(stream.take(), 'id: 7-5\n: nothing new\n\n')
})

test('one that ended before anybody sent it ends then', () => {
  const stream = open()
  stream.end()
  let ended = false
  stream.attach(
    () => {},
    () => (ended = true),
  )
  assert.equal(ended, true)
})
