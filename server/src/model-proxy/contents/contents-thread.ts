import { parentPort } from 'node:worker_threads'
import type { ContentsJob, ContentsResult } from './contents-protocol.ts'
import { ContentsReader } from './read-contents.ts'

const reader = new ContentsReader()

parentPort?.on('message', (jobs: ContentsJob[]) => {
	for (const job of jobs)
		if (job.kind === 'drop') reader.drop(job.id)
		else if (job.kind === 'forget') reader.forget()
		else void run(job).then(tell)
})

let results: ContentsResult[] = []

/** All of one turn go in one message. */
function tell(result: ContentsResult): void {
	if (results.push(result) > 1) return
	setImmediate(() => {
		parentPort?.postMessage(results)
		results = []
	})
}

/** A body that cannot be read is a call without contents. */
async function run(job: Extract<ContentsJob, { kind: 'request' | 'answer' }>): Promise<ContentsResult> {
	const { id } = job
	if (job.kind === 'request') {
		const session = await reader.request(id, job.request).catch(() => '')
		return { id, kind: 'session', session }
	}
	const read = await reader.answer(id, job.answer).catch(() => ({ contents: null, texts: [] }))
	return { id, kind: 'contents', ...read }
}
