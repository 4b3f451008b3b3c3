import assert from 'node:assert/strict'
import { test } from 'node:test'
import { speakDuration, speakSteps } from '../src/duration.js'

test('below one second it counts milliseconds', () => {
  assert.equal(speakDuration(450), '450 ms')
})

test('below one minute it counts seconds', () => {
  assert.equal(speakDuration(12_000), '12 s')
})

test('from one minute on it counts both', () => {
  assert.equal(speakDuration(90_000), '1 min 30 s')
})

test('seconds that round up to sixty become a minute', () => {
  assert.equal(speakDuration(119_600), '2 min 0 s')
})

test('steps are counted and their time is added', () => {
  assert.equal(speakSteps([4_000, 8_000]), '2 steps in 12 s')
})
