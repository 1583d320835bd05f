import fc from 'fast-check'
import { type AttributeValue, newSpanRow, type SpanRow } from './span-row.ts'

const scalar = fc.oneof(
	fc.string({ unit: 'grapheme' }),
	fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
	fc.double(),
	fc.boolean(),
	fc.constant(null),
	fc.uint8Array().map((bytes) => Buffer.from(bytes)),
)
const key = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('__proto__', 'constructor', '1', ''))
const value = fc.letrec<{ value: AttributeValue }>((tie) => ({
	value: fc.oneof(
		{ depthSize: 'small' },
		scalar,
		fc.array(tie('value')),
		fc.array(fc.tuple(key, tie('value'))).map((entries) => {
			const object: { [key: string]: AttributeValue } = Object.create(null)
			for (const [name, inner] of entries) object[name] = inner
			return object
		}),
	),
})).value
const attributes = fc.array(fc.tuple(key, value)).map((entries) => new Map(entries))
const hex = (digits: number) =>
	fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: digits, maxLength: digits })

const base = {
	workspaceId: 'w',
	traceId: 'a'.repeat(32),
	spanId: 'b'.repeat(16),
	name: 'n',
	source: 'otlp',
	kind: 'other',
	startNs: 1n,
} as const

/** Spans with all kinds of values. */
export const spanRows: fc.Arbitrary<SpanRow> = fc
	.record({
		workspaceId: fc.uuid(),
		traceId: hex(32),
		spanId: hex(16),
		parentSpanId: fc.oneof(
			fc.constant(''),
			hex(15).map((digits) => `1${digits}`),
		),
		name: fc.string({ unit: 'grapheme', maxLength: 300 }),
		statusMessage: fc.string({ unit: 'grapheme', maxLength: 400 }),
		startNs: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
		durationNs: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
		inputTokens: fc.maxSafeNat(),
		costNanoUsd: fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
		timeToFirstTokenNs: fc.option(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })),
		httpStatus: fc.option(fc.integer({ min: 0, max: 65_535 })),
		rpcCode: fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
		flags: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
		attributes,
		resource: attributes,
		dialect: fc.string(),
		mapperVersion: fc.integer({ min: 0, max: 65_535 }),
		ledger: fc.array(
			fc.record({
				dimension: fc.string(),
				quantity: fc.maxSafeNat(),
				costNanoUsd: fc.option(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n })),
				rate: fc.option(fc.maxSafeNat()),
				factor: fc.string(),
				iteration: fc.integer({ min: 0, max: 65_535 }),
				model: fc.string(),
				price: fc.string(),
			}),
		),
	})
	.map((given) => newSpanRow({ ...base, ...given }))
