import { type MockAnswer, type MockAsk, statusFor, wordsFor } from './wire.ts'

/** The usage of every answer of the mock: 30 input, 70 cache read, 20 output, 15 reasoning. */
export const mockGeminiUsage = {
	promptTokenCount: 100,
	cachedContentTokenCount: 70,
	candidatesTokenCount: 20,
	thoughtsTokenCount: 15,
	totalTokenCount: 135,
	promptTokensDetails: [{ modality: 'TEXT', tokenCount: 100 }],
}

export function answerGemini(method: string, path: string, ask: MockAsk): MockAnswer {
	const [plain = '', search = ''] = path.split('?')
	const [, model = '', verb = ''] = /\/models\/([^/:]+)(?::(\w+))?$/.exec(plain) ?? []
	const failing = statusFor(model)
	if (failing) return failure(failing)
	if (verb === 'generateContent') return { status: 200, json: chunkOf(model, partsOf(model, ask), true) }
	if (verb === 'streamGenerateContent') return stream(model, ask, search.includes('alt=sse'))
	if (verb === 'countTokens') return { status: 200, json: { totalTokens: 100 } }
	if (verb === 'embedContent') return { status: 200, json: { embedding: { values: [0.25] } } }
	if (verb === 'batchEmbedContents')
		return {
			status: 200,
			json: { embeddings: [{ values: [0.25, 0.5] }], usageMetadata: { promptTokenCount: 9 } },
		}
	if (method === 'GET') return { status: 200, json: { models: [{ name: 'models/gemini-mock' }] } }
	return failure(404)
}

function partsOf(model: string, ask: MockAsk): object[] {
	if (ask.tools) return [{ functionCall: { name: 'weather', args: { city: 'Zürich' } } }]
	return wordsFor(model).map((text) => ({ text }))
}

function chunkOf(model: string, parts: object[], last: boolean) {
	const candidate = { index: 0, content: { role: 'model', parts }, ...(last && { finishReason: 'STOP' }) }
	const usageMetadata = last
		? mockGeminiUsage
		: { ...mockGeminiUsage, candidatesTokenCount: 1, thoughtsTokenCount: 0 }
	return { candidates: [candidate], usageMetadata, modelVersion: `${model}-001`, responseId: 'gem_mock' }
}

function stream(model: string, ask: MockAsk, sse: boolean): MockAnswer {
	const parts = partsOf(model, ask)
	const chunks = parts.map((part, at) => JSON.stringify(chunkOf(model, [part], at === parts.length - 1)))
	if (!sse) {
		const frames = chunks.map((chunk, at) => `${at === 0 ? '[' : ',\r\n'}${chunk}`)
		return {
			status: 200,
			frames: [...frames, ']'],
			headers: { 'content-type': 'application/json; charset=UTF-8' },
		}
	}
	const frames = chunks.map((chunk) => `data: ${chunk}\r\n\r\n`)
	if (model !== 'stream-error') return { status: 200, frames, ...(model === 'cut' && { cutAfter: 3 }) }
	return {
		status: 200,
		frames: [...frames.slice(0, 2), `data: ${JSON.stringify(failure(503).json)}\r\n\r\n`],
	}
}

const statuses: Record<number, string> = {
	400: 'INVALID_ARGUMENT',
	404: 'NOT_FOUND',
	429: 'RESOURCE_EXHAUSTED',
}

function failure(code: number): MockAnswer {
	const status = statuses[code] ?? 'UNAVAILABLE'
	return { status: code, json: { error: { code, message: `The mock answers ${code}.`, status } } }
}
