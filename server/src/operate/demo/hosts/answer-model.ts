import { anthropicContent, type ModelTurn, openaiMessage } from '../replay-conversation.ts'
import type { HostAnswer, HostRequest } from './answer-mcp.ts'

/** With a replayed request: what its model used then, as `input,cached,output`. */
export const usageHeader = 'x-demo-usage'

/** With a replayed request: what its model answered then, as JSON in base64. */
export const answerHeader = 'x-demo-answer'

const usual = [900, 0, 120]

/** A provider with Anthropic's messages and OpenAI's chat completions, whose usage is the recorded one. */
export function answerModel({ path, headers, body }: HostRequest): HostAnswer {
	if (path.endsWith('/models')) return { status: 200, json: { object: 'list', data: [] } }
	const [input = 0, cached = 0, output = 0] = headers[usageHeader]?.split(',').map(Number) ?? usual
	const model = modelIn(body)
	const turn = turnIn(headers[answerHeader])
	const asksForTools = turn.uses.length > 0
	if (path.endsWith('/messages'))
		return {
			status: 200,
			json: {
				id: 'msg_demo',
				type: 'message',
				role: 'assistant',
				model,
				content: anthropicContent(turn),
				stop_reason: asksForTools ? 'tool_use' : 'end_turn',
				stop_sequence: null,
				usage: {
					input_tokens: input,
					cache_read_input_tokens: cached,
					cache_creation_input_tokens: 0,
					output_tokens: output,
				},
			},
		}
	return {
		status: 200,
		json: {
			id: 'chatcmpl-demo',
			object: 'chat.completion',
			created: 1_780_000_000,
			model,
			choices: [
				{ index: 0, message: openaiMessage(turn), finish_reason: asksForTools ? 'tool_calls' : 'stop' },
			],
			usage: {
				prompt_tokens: input + cached,
				completion_tokens: output,
				total_tokens: input + cached + output,
				prompt_tokens_details: { cached_tokens: cached },
			},
		},
	}
}

function turnIn(header: string | undefined): ModelTurn {
	const usualTurn = { text: 'This is an answer of the demo: no model was asked.', uses: [] }
	if (header === undefined) return usualTurn
	try {
		return JSON.parse(Buffer.from(header, 'base64').toString()) as ModelTurn
	} catch {
		return usualTurn
	}
}

function modelIn(body: string): string {
	try {
		return String((JSON.parse(body) as { model?: unknown }).model ?? 'unknown')
	} catch {
		return 'unknown'
	}
}
