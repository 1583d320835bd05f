import { createInterface } from 'node:readline'
import { answerOf } from './fixed-answers.ts'

/** The far end as a program that speaks over its standard streams, for gateways that only know such ones. */
createInterface({ input: process.stdin }).on('line', (line) => {
	const answer = answerOf(JSON.parse(line), 'legacy')
	if (answer) process.stdout.write(`${answer.text}\n`)
})
