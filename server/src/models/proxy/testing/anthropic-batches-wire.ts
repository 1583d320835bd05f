import type { MockAnswer } from './wire.ts'

let made = 0

/** The mock's answers for Anthropic's message batches; null for other paths. */
export function answerBatches(method: string, path: string): MockAnswer | null {
	const [, id, part] = /\/messages\/batches(?:\/([^/]+))?(?:\/(\w+))?$/.exec(path) ?? []
	if (id === undefined && !path.endsWith('/messages/batches')) return null
	if (method === 'DELETE') return { status: 200, json: { id, type: 'message_batch_deleted' } }
	if (part === 'results') {
		const line = JSON.stringify({ custom_id: 'a', result: { type: 'expired' } })
		return {
			status: 200,
			bytes: Buffer.from(`${line}\n`),
			headers: { 'content-type': 'application/x-jsonl' },
		}
	}
	if (id === undefined) made += 1
	// The provider's own address, which is unused in tests.
	const results_url = id === undefined ? null : `https://api.anthropic.com/v1/messages/batches/${id}/results`
	return {
		status: 200,
		json: {
			id: id ?? `msgbatch_mock${made}`,
			type: 'message_batch',
			processing_status: 'ended',
			results_url,
		},
	}
}
