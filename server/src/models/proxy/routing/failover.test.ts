import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { beforeAll, describe, expect, it } from 'vitest'
import { answerAnthropic } from '../testing/anthropic-wire.ts'
import { answerOpenAi } from '../testing/openai-wire.ts'
import { useProxyStage } from '../testing/proxy-stage.ts'
import { mockWords } from '../testing.ts'

const stage = useProxyStage()
const text = mockWords.join('')
const messages = [{ role: 'user' as const, content: 'Hi' }]

interface Dialect {
	kind: string
	surface: string
	frames: string[]
	/** An error event as the provider sends it. */
	error: string
	/** The number of frames before the first content, and up to the one with the reason why the model stopped. */
	before: number
	finished: number
	/** Resolves with the text of a streamed answer, read by the official client. */
	ask(route: string, model: string): Promise<string>
}

const chatFrames =
	answerOpenAi('POST', '/v1/chat/completions', { model: 'm', stream: true }).frames?.map(String) ?? []
const messageFrames =
	answerAnthropic('POST', '/v1/messages', { model: 'm', stream: true }).frames?.map(String) ?? []
const responseFrames =
	answerOpenAi('POST', '/v1/responses', { model: 'm', stream: true }).frames?.map(String) ?? []
const indexOf = (frames: string[], part: string) => frames.findIndex((frame) => frame.includes(part))

const dialects: Dialect[] = [
	{
		...{ kind: 'openai', surface: 'chat' },
		frames: chatFrames,
		error: 'data: {"error":{"message":"Broken","type":"server_error","code":null,"param":null}}\n\n',
		before: 1,
		finished: indexOf(chatFrames, '"finish_reason":"stop"'),
		ask: async (route, model) => {
			const baseURL = `${stage.proxy.url}/proxy/${route}/v1`
			const client = new OpenAI({ baseURL, apiKey: stage.key, maxRetries: 0 })
			let got = ''
			for await (const chunk of await client.chat.completions.create({ model, messages, stream: true }))
				got += chunk.choices[0]?.delta.content ?? ''
			return got
		},
	},
	{
		...{ kind: 'anthropic', surface: 'messages' },
		frames: messageFrames,
		error: 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Broken"}}\n\n',
		before: 3,
		finished: indexOf(messageFrames, '"stop_reason":"end_turn"'),
		ask: async (route, model) => {
			const baseURL = `${stage.proxy.url}/proxy/${route}`
			const client = new Anthropic({ baseURL, apiKey: stage.key, maxRetries: 0 })
			return client.messages.stream({ model, messages, max_tokens: 50 }).finalText()
		},
	},
	{
		...{ kind: 'openai', surface: 'responses' },
		frames: responseFrames,
		error:
			'event: error\ndata: {"type":"error","code":"server_error","message":"Broken","param":null,"sequence_number":9}\n\n',
		before: 3,
		finished: responseFrames.length,
		ask: async (route, model) => {
			const baseURL = `${stage.proxy.url}/proxy/${route}/v1`
			const client = new OpenAI({ baseURL, apiKey: stage.key, maxRetries: 0 })
			let got = ''
			for await (const event of await client.responses.create({ model, input: 'Hi', stream: true }))
				got += event.type === 'response.output_text.delta' ? event.delta : ''
			return got
		},
	},
]

/** The ways in which a stream breaks after its k-th frame. */
const breaks = {
	'an error event': 'error',
	'a cut': 'cut',
	'an end that is none': 'end',
} as const

describe.each(dialects)('$kind $surface: a stream that breaks', (dialect) => {
	const { kind: provider, surface, frames, error, before, finished, ask } = dialect
	const kind = `${provider}-${surface}`
	const route = `break-${kind}`
	beforeAll(async () => {
		const { proxy, key, mock } = stage
		for (const name of ['bad', 'good']) {
			const connection = {
				name: `${name}-${kind}`,
				provider,
				key: `sk-${name}-key`,
				base_url: mock.url,
			}
			expect((await proxy.api(key, 'POST', '/v1/provider-keys', connection)).status).toBe(201)
		}
		const targets = [{ connection: `bad-${kind}` }, { connection: `good-${kind}` }]
		const made = await proxy.api(key, 'POST', '/v1/routes', { name: route, targets, retries: 0 })
		expect(made.status).toBe(201)
	})

	it.each(Object.entries(breaks))(
		'by %s is replaced before its first content, and raised after it',
		async (_name, how) => {
			for (let at = 0; at < frames.length; at += 1) {
				stage.mock.intercept = (received, response) => {
					const { authorization = '', 'x-api-key': apiKey = '' } = received.headers
					if (!`${authorization}${String(apiKey)}`.includes('sk-bad')) return false
					response.writeHead(200, { 'content-type': 'text/event-stream' })
					for (const frame of frames.slice(0, at)) response.write(frame)
					if (how === 'error') response.end(error)
					else if (how === 'end') response.end()
					else setTimeout(() => response.destroy(), 5)
					return true
				}
				const result = await ask(route, `m-${how}-${at}`).catch((raised: Error) => raised)
				if (at <= before) expect([at, result]).toEqual([at, text])
				// All text has been sent by then: some clients accept such an end as complete.
				else if (how === 'end' && at > finished) expect(result).toBeDefined()
				else expect([at, result]).toEqual([at, expect.any(Error)])
				expect(stage.mock.requests).toHaveLength(at <= before ? 2 : 1)
				stage.mock.requests.length = 0
			}
		},
	)
})
