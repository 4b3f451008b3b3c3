import { plural } from './plural.js'

/** Say a duration given in milliseconds: `450 ms`, `12 s`, `1 min 30 s`. */
export function speakDuration(milliseconds) {
  if (milliseconds < 1000) return `${Math.floor(milliseconds)} ms`
  const minutes = Math.floor(milliseconds / 60_000)
  const seconds = Math.round((milliseconds % 60_000) / 1000)
  if (minutes === 0) return `${seconds} s`
  return `${minutes} min ${seconds} s`
}

/** Say how long several steps took together: `3 steps in 12 s`. */
export function speakSteps(durations) {
  const total = durations.reduce((sum, duration) => sum + duration, 0)
  return `${plural(durations.length, 'step')} in ${speakDuration(total)}`
}
