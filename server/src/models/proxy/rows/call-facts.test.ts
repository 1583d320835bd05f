import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { FactsOpener } from '../../../telemetry/recorder/call-facts.ts'
import {
	decodeHeader,
	headerBytes,
	isFacts,
	scanRecords,
} from '../../../telemetry/recorder/segment-format.ts'
import { canary, useProxyStage } from '../testing/proxy-stage.ts'

const stage = useProxyStage()

/** The segments as stored on disk, and the facts that calls have left in them, decrypted. */
function readLog(): { onDisk: string; facts: string[] } {
	const { directory, keyOf } = stage.proxy
	const facts: string[] = []
	let onDisk = ''
	for (const name of readdirSync(directory).filter((name) => name.endsWith('.seg'))) {
		const bytes = readFileSync(join(directory, name))
		onDisk += bytes.toString('latin1')
		const header = decodeHeader(bytes)
		if (!header) throw new Error('A segment has no header.')
		const key = keyOf(`telemetry log segment ${header.logId} ${header.number}`)
		scanRecords(bytes, headerBytes, bytes.length, header.marker, ({ rowFormat, bytes: sealed }) => {
			if (isFacts(rowFormat)) facts.push(new FactsOpener(key).open(sealed as Buffer).toString('latin1'))
		})
	}
	return { onDisk, facts }
}

/** Must not be in rows, because it is redacted. */
const spoken = 'jane.private@example.com'

it.each([
	['in a plain answer', 'application/json', 200],
	['in a stream', 'text/event-stream', 200],
	['in an error', 'application/json', 401],
])(
	'what a call carried is sealed in the log, and no credential is in it, sealed or not: %s',
	async (_, type, status) => {
		const { proxy, mock, key } = stage
		const id = `${type} ${status}`
		mock.intercept = (received, response) => {
			const message = { role: 'assistant', content: `${spoken}: ${received.headers.authorization}` }
			const chunk = { id, choices: [{ index: 0, delta: message, finish_reason: 'stop' }] }
			response.writeHead(status, { 'content-type': type })
			if (type === 'application/json')
				response.end(JSON.stringify({ id, error: status > 200 ? message : null, choices: [{ message }] }))
			else response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)
			return true
		}
		const body = JSON.stringify({
			model: 'gpt-5.6-sol',
			messages: [{ role: 'user', content: `${spoken}, ${id}` }],
		})
		const headers = { ...stage.byKey(), cookie: 'session=of-a-browser', 'x-api-key': 'sk-of-the-caller' }
		await stage.send('POST', '/proxy/gpt/v1/chat/completions', headers, body)
		await proxy.settled()
		const { onDisk, facts } = readLog()
		const carried = facts.filter((text) => text.includes(spoken) && text.includes(id))
		expect(carried.length).toBeGreaterThan(0)
		expect(onDisk).not.toContain(spoken)
		for (const secret of [canary, key, 'of-a-browser', 'sk-of-the-caller']) {
			expect(onDisk).not.toContain(secret)
			for (const text of facts) expect(text).not.toContain(secret)
		}
	},
)
