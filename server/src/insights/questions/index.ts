export { openQuestions } from './open-questions.ts'
export { askedOf, type QuestionRow } from './question.ts'
export { findQuestion } from './repository.ts'
