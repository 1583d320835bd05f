import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Program } from '../../../server/src/program/program.testing.ts'
import { sentence } from './words.ts'

const turns = 50

/** Runs an agent's session of 50 turns with a model through the proxy; returns the bytes of all its requests and answers. */
export async function converse(program: Program): Promise<number> {
	const far = createServer(async (request, response) => {
		await text(request)
		response.setHeader('content-type', 'application/json')
		response.end(answer(sentence(600)))
	})
	await new Promise<void>((done) => far.listen(0, '127.0.0.1', done))
	const base_url = `http://127.0.0.1:${(far.address() as AddressInfo).port}/v1`
	const connection = { name: 'openai', provider: 'openai', key: 'sk-bench-key', base_url }
	await program.api('POST', '/v1/provider-keys', connection, 201)
	const { key } = await program.api<{ key: string }>('POST', '/v1/keys', { name: 'bench' }, 201)
	try {
		return await takeTurns(`${program.url}/proxy/openai/v1/chat/completions`, key)
	} finally {
		far.close()
	}
}

async function takeTurns(url: string, key: string): Promise<number> {
	const messages = [{ role: 'system', content: sentence(6000) }]
	let bytes = 0
	for (let turn = 0; turn < turns; turn += 1) {
		messages.push({ role: 'user', content: sentence(800) })
		const body = JSON.stringify({ model: 'gpt-x', messages })
		const headers = {
			...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
			'x-signalbox-session-id': 'bench-session',
		}
		const response = await fetch(url, { method: 'POST', headers, body })
		const answered = await response.text()
		if (response.status !== 200) throw new Error(`The model proxy answered ${response.status}: ${answered}`)
		bytes += Buffer.byteLength(body) + Buffer.byteLength(answered)
		messages.push(JSON.parse(answered).choices[0].message)
	}
	return bytes
}

function answer(content: string): string {
	return JSON.stringify({
		...{ id: 'chatcmpl-bench', object: 'chat.completion', created: 0, model: 'gpt-x' },
		choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
		usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 },
	})
}
