import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { answerAnthropic } from './anthropic-wire.ts'
import { answerOpenAi } from './openai-wire.ts'

const encoders = {
	identity: (bytes: Buffer) => bytes,
	gzip: gzipSync,
	br: brotliCompressSync,
	zstd: zstdCompressSync,
	deflate: deflateSync,
}

/** One way in which a provider might send the same response. */
export interface Variant {
	dialect: 'openai' | 'anthropic'
	stream: boolean
	lineEnd: '\n' | '\r\n' | '\r'
	space: boolean
	bom: boolean
	comments: boolean
	encoding: keyof typeof encoders
	/** The positions at which the bytes are cut, in thousandths of the length. */
	cuts: number[]
	sized: boolean
}

/** Every dialect × form × line end × encoding × chunking. */
export const anyVariant: fc.Arbitrary<Variant> = fc.record({
	dialect: fc.constantFrom('openai', 'anthropic'),
	stream: fc.boolean(),
	lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
	space: fc.boolean(),
	bom: fc.boolean(),
	comments: fc.boolean(),
	encoding: fc.constantFrom('identity', 'gzip', 'br', 'zstd', 'deflate'),
	cuts: fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 12 }),
	sized: fc.boolean(),
})

/** The plain bytes of a variant's response body. */
export function plainBytes(variant: Variant): Buffer {
	const ask = { model: 'fuzz', stream: variant.stream, stream_options: { include_usage: true } }
	const openai = variant.dialect === 'openai'
	const answer = openai
		? answerOpenAi('POST', '/v1/chat/completions', ask)
		: answerAnthropic('POST', '/v1/messages', ask)
	const text = answer.frames
		? answer.frames.map((frame) => dress(frame, variant)).join('')
		: JSON.stringify(answer.json)
	return Buffer.from((variant.bom ? '\ufeff' : '') + text)
}

function dress(frame: string, { lineEnd, space, comments }: Variant): string {
	const spaced = space ? frame : frame.replaceAll(/^(data|event): /gm, '$1:')
	return `${comments ? ': keep-alive – ok\n\n' : ''}${spaced}`.replaceAll('\n', lineEnd)
}

/** The bytes on the wire, cut into pieces. */
export function piecesOf(variant: Variant): Buffer[] {
	const bytes = encoders[variant.encoding](plainBytes(variant))
	const at = variant.cuts.map((cut) => Math.floor((cut * bytes.length) / 1000)).sort((a, b) => a - b)
	const edges = [0, ...at, bytes.length]
	return edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge))
}
