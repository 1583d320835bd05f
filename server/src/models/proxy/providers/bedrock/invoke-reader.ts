import { newReader as newAnthropicReader } from '../anthropic/reader.ts'
import { readUsage as readOpenAiUsage } from '../openai/reader.ts'
import { type Fields, fieldsIn, newReading, parseFields, type ResponseReader, textOr } from '../provider.ts'
import { readNativeUsage } from './converse-reader.ts'

/** Reads what InvokeModel and its stream answer: the words of the model's own maker. */
export function newInvokeReader(model: string): ResponseReader {
	const native = model.includes('anthropic.') ? newAnthropicReader({ operation: 'chat' }) : newPlainReader()
	return {
		fields: native.fields,
		reading: native.reading,
		onBody: native.onBody,
		onEvent: (data, name) => {
			const event = parseFields(data)
			if (name.startsWith('!')) {
				native.reading.errorType = name.slice(1)
				native.reading.errorMessage = textOr(event?.message, '')
			} else if (typeof event?.bytes === 'string') {
				native.onEvent(Buffer.from(event.bytes, 'base64').toString(), '')
			}
		},
	}
}

const fields: ReadonlySet<string> = new Set([
	...[
		'usage',
		'prompt_token_count',
		'generation_token_count',
		'inputTextTokenCount',
		'stop_reason',
		'stopReason',
	],
	...['message', '__type', 'model'],
])
const metrics = 'amazon-bedrock-invocationMetrics'

/** For the models of which only the figures are of interest. */
function newPlainReader(): ResponseReader {
	const reading = newReading()
	const readFigures = (body: Fields) => {
		const usage = readNativeUsage(body) ?? readOpenAiUsage(body.usage)
		if (!usage) return
		reading.usage = usage
		reading.rawUsage = body[metrics] ?? body.usage ?? null
		reading.complete = true
	}
	return {
		fields,
		reading,
		onBody: (found) => {
			const body = Object.fromEntries(found)
			readFigures(body)
			reading.finishReason = textOr(body.stop_reason, textOr(body.stopReason, ''))
			reading.errorType = textOr(body.__type, '')
			reading.errorMessage = textOr(body.message, '')
			reading.ended = true
		},
		onEvent: (data) => {
			const event = parseFields(data)
			if (!event) return
			reading.content = true
			reading.generatedBytes += Buffer.byteLength(data)
			readFigures(event)
			if (fieldsIn(event[metrics])) reading.ended = true
		},
	}
}
