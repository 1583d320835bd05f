import { createInterface } from 'node:readline'
import { answerOf } from './fixed-answers.ts'

/** The far end as a stdio program, for gateways that only support those. */
createInterface({ input: process.stdin }).on('line', (line) => {
	const answer = answerOf(JSON.parse(line), 'legacy')
	if (answer) process.stdout.write(`${answer.text}\n`)
})
