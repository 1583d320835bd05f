import { Pool } from 'undici'
import { type Measured, paced, summarise } from '../load.ts'
import { streamBody } from '../model-answers.ts'
import type { Subject } from './subjects.ts'

/** Streams at a constant rate: the time from when each was due to its first piece. */
export async function timeToFirstToken(
	subject: Subject,
	ratePerSecond: number,
	durationMs: number,
): Promise<Measured> {
	const { origin, path, headers } = subject.to('')
	const pool = new Pool(origin, { connections: 64 })
	const body = streamBody('usual')
	const latencies: number[] = []
	let errors = 0
	await paced(ratePerSecond, durationMs, async (dueMs) => {
		const response = await pool.request({ method: 'POST', path, headers, body })
		let whole = ''
		for await (const chunk of response.body) {
			if (whole === '') latencies.push(performance.now() - dueMs)
			whole += chunk
		}
		if (!whole.includes('data: [DONE]')) errors += 1
	})
	await pool.close()
	return summarise(latencies, errors, durationMs)
}
