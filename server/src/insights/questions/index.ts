export { openQuestions } from './open-questions.ts'
export { askedOf } from './question.ts'
export { findQuestion } from './repository.ts'
