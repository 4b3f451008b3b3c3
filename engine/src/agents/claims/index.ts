/** What an answer claims, and what the record of its turn says. */
export { type AnswerToCheck, type CheckedAnswer, checkAnswer } from './check.ts'
export { type EvidenceLog, startEvidence } from './evidence.ts'
