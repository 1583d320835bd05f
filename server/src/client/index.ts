export { ApiProblem } from './api-problem.ts'
export { type Client, createClient, type Schemas, take } from './create-client.ts'
export { readEvents } from './read-events.ts'
