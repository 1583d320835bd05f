import { parentPort } from 'node:worker_threads'
import type { ContentsAnswers, ContentsJob, ContentsKind, ContentsResult } from './contents-protocol.ts'
import { ContentsReader } from './contents-reader.ts'
import { redactTexts } from './redact-text.ts'

const reader = new ContentsReader()

parentPort?.on('message', (jobs: ContentsJob[]) => {
	for (const job of jobs)
		if (job.kind === 'drop') reader.drop(job.call)
		else if (job.kind === 'forget') reader.forget()
		else void answer(job)
})

/** A body that cannot be read is a call without contents. */
async function answer(job: Extract<ContentsJob, { id: number }>): Promise<void> {
	tell({ id: job.id, answer: await run(job).catch(() => null) })
}

async function run(job: Extract<ContentsJob, { id: number }>): Promise<ContentsAnswers[ContentsKind]> {
	if (job.kind === 'redact') return redactTexts(job.texts, job.rules)
	return job.kind === 'request' ? reader.request(job) : reader.answer(job)
}

let results: ContentsResult[] = []

/** All of one turn go in one message. */
function tell(result: ContentsResult): void {
	if (results.push(result) > 1) return
	setImmediate(() => {
		parentPort?.postMessage(results)
		results = []
	})
}
