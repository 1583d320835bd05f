import type { ServerResponse } from 'node:http'

/** A model with a price. */
export const model = 'gpt-5.6-sol'
/**
 * Kinds of streams, selected by the user in the request: ten pieces, 5 ms apart; one piece per second without an end; as much as its
 * reader takes, without an end.
 */
export const streams = { usual: 'usual', endless: 'endless', flood: 'flood' } as const

export const modelAnswer = JSON.stringify({
	id: 'chatcmpl-bench',
	object: 'chat.completion',
	created: 1,
	model,
	choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'x'.repeat(200) } }],
	usage: { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 },
})

const pieces = 10
const gapMs = 5
const endlessGapMs = 1000

const piece = (content: string) =>
	`data: ${JSON.stringify({ id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1, model, choices: [{ index: 0, delta: { content } }] })}\n\n`
const small = piece('word '.repeat(4))
const large = piece('x'.repeat(16_000))
const usage = { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 }
const end = `data: ${JSON.stringify({ id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1, model, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage })}\n\ndata: [DONE]\n\n`

/** Answers a request with a body from `streamBody`; false for any other. */
export function streamAnswer(response: ServerResponse, body: Buffer): boolean {
	const kind = body.length < largestAsking ? kindIn(body.toString('latin1')) : undefined
	if (kind === undefined) return false
	response.writeHead(200, { 'content-type': 'text/event-stream' })
	if (kind === streams.flood) flood(response)
	else drip(response, kind === streams.endless)
	return true
}

const largestAsking = 2048

/** A gateway may have reformatted the body. */
function kindIn(body: string): string | undefined {
	return body.includes('"stream":true') ? /"user":"(\w+)"/.exec(body)?.[1] : undefined
}

function drip(response: ServerResponse, endless: boolean): void {
	let sent = 0
	const send = () => {
		response.write(small)
		sent += 1
		if (endless || sent < pieces) return
		clearInterval(timer)
		response.end(end)
	}
	const timer = setInterval(send, endless ? endlessGapMs : gapMs)
	response.once('close', () => clearInterval(timer))
	send()
}

function flood(response: ServerResponse): void {
	while (!response.destroyed && response.write(large));
	if (!response.destroyed) response.once('drain', () => flood(response))
}

export function streamBody(kind: keyof typeof streams): string {
	const messages = [{ role: 'user', content: 'x'.repeat(1000) }]
	return JSON.stringify({ model, stream: true, user: streams[kind], messages })
}
