import { awsEventMessage } from '../tee/answer-parsers.ts'
import { answerAnthropic } from './anthropic-wire.ts'
import { type MockAnswer, type MockAsk, statusFor, wordsFor } from './wire.ts'

/** The usage of every Converse of the mock: 25 input, 300 cache read, 40 cache write, 18 output. */
export const mockConverseUsage = {
	inputTokens: 25,
	outputTokens: 18,
	totalTokens: 383,
	cacheReadInputTokens: 300,
	cacheWriteInputTokens: 40,
	cacheDetails: [
		{ ttl: '5m', inputTokens: 30 },
		{ ttl: '1h', inputTokens: 10 },
	],
}

const eventStream = { 'content-type': 'application/vnd.amazon.eventstream', 'x-amzn-requestid': 'aws_mock' }

export function answerBedrock(path: string, ask: MockAsk): MockAnswer {
	const [, named = '', verb = ''] = /\/model\/([^/]+)\/([\w-]+)$/.exec(path) ?? []
	const model = decodeURIComponent(named)
	const failing = statusFor(model)
	if (failing) return failure(failing)
	if (verb === 'converse')
		return { status: 200, json: converse(model), headers: { 'x-amzn-requestid': 'aws_mock' } }
	if (verb === 'converse-stream')
		return { status: 200, messages: converseFrames(model), headers: eventStream }
	if (verb === 'count-tokens') return { status: 200, json: { inputTokens: 365 } }
	if (verb === 'invoke') return invoke(model, ask)
	return { status: 200, messages: invokeFrames(model, ask), headers: eventStream }
}

function converse(model: string) {
	const content = wordsFor(model).map((text) => ({ text }))
	const output = { message: { role: 'assistant', content } }
	return { output, stopReason: 'end_turn', usage: mockConverseUsage, metrics: { latencyMs: 3 } }
}

function event(name: string, payload: unknown): Buffer {
	const headers = { ':event-type': name, ':content-type': 'application/json', ':message-type': 'event' }
	return awsEventMessage(headers, JSON.stringify(payload))
}

function converseFrames(model: string): Buffer[] {
	const deltas = wordsFor(model).map((text) =>
		event('contentBlockDelta', { contentBlockIndex: 0, delta: { text } }),
	)
	const begun = [event('messageStart', { role: 'assistant' }), ...deltas]
	if (model === 'stream-error') return [...begun.slice(0, 3), exception()]
	const stop = event('messageStop', { stopReason: 'end_turn' })
	const metadata = event('metadata', { usage: mockConverseUsage, metrics: { latencyMs: 3 } })
	return [...begun, event('contentBlockStop', { contentBlockIndex: 0 }), stop, metadata]
}

function exception(): Buffer {
	const headers = {
		':exception-type': 'throttlingException',
		':content-type': 'application/json',
		':message-type': 'exception',
	}
	return awsEventMessage(headers, JSON.stringify({ message: 'The mock broke in mid-stream.' }))
}

function invoke(model: string, ask: MockAsk): MockAnswer {
	if (model.includes('anthropic.'))
		return answerAnthropic('POST', '/v1/messages', { ...ask, model, stream: false })
	return {
		status: 200,
		json: { generation: 'Hi', prompt_token_count: 11, generation_token_count: 5, stop_reason: 'stop' },
	}
}

function invokeFrames(model: string, ask: MockAsk): Buffer[] {
	const chunk = (text: string) => event('chunk', { bytes: Buffer.from(text).toString('base64') })
	if (!model.includes('anthropic.')) {
		const metrics = { 'amazon-bedrock-invocationMetrics': { inputTokenCount: 11, outputTokenCount: 5 } }
		return [chunk('{"generation":"Hi"}'), chunk(JSON.stringify({ generation: '', ...metrics }))]
	}
	const { frames = [] } = answerAnthropic('POST', '/v1/messages', { ...ask, model, stream: true })
	return frames.map((frame) => chunk(/data: (.+)/.exec(frame)?.[1] ?? '{}'))
}

const types: Record<number, string> = { 400: 'ValidationException', 429: 'ThrottlingException' }

function failure(status: number): MockAnswer {
	const type = types[status] ?? 'InternalServerException'
	return { status, json: { message: `The mock answers ${status}.` }, headers: { 'x-amzn-errortype': type } }
}
