import { gzipSync } from 'node:zlib'
import { readPartialSuccess, readStatus } from './answers.ts'
import {
	type CallAnswer,
	call,
	callWith,
	expectStatus,
	frameOf,
	pathOf,
	withConnection,
} from './grpc-client.ts'
import { encode, everyValue, newBody, newSpan, requestOf } from './requests.ts'
import { type Case, expectThat, type Signal, signals } from './target.ts'

type Rule = Omit<Case, 'id' | 'transport'> & { name: string }

function expectEmpty(answer: CallAnswer): void {
	expectStatus(answer, 0)
	expectThat(answer.messages.length === 1, `${answer.messages.length} messages came back`)
	expectThat(answer.messages[0]?.length === 0, 'the response message is not empty')
}

const grpc = 'OTLP/gRPC'

function rulesOf(signal: Signal): Rule[] {
	const body = () => newBody(signal, 'protobuf', signal === 'metrics' ? {} : { attributes: everyValue })
	return [
		{
			name: 'success',
			rule: 'accepts a call and answers with an empty message and the status OK',
			reference: `${grpc} Response, Full Success`,
			level: 'MUST',
			run: async (target) => expectEmpty(await call(target, signal, body())),
		},
		{
			name: 'empty',
			rule: 'accepts a message without telemetry',
			reference: `${grpc} Request`,
			level: 'SHOULD',
			run: async (target) => expectEmpty(await call(target, signal, Buffer.alloc(0))),
		},
		{
			name: 'gzip',
			rule: 'accepts a message compressed with gzip',
			reference: `${grpc}, gzip`,
			level: 'MUST',
			run: async (target) => {
				const frame = frameOf(gzipSync(body()), true)
				const headers = { ...target.headers, 'grpc-encoding': 'gzip' }
				expectEmpty(
					await withConnection(target, (session) => callWith(session, pathOf(signal), frame, headers)),
				)
			},
		},
		{
			name: 'proto-type',
			rule: 'accepts the Content-Type application/grpc+proto',
			reference: 'gRPC over HTTP/2, Requests',
			level: 'MUST',
			run: async (target) =>
				expectEmpty(await call(target, signal, body(), { 'content-type': 'application/grpc+proto' })),
		},
		{
			name: 'concurrent',
			rule: 'accepts 32 concurrent calls on one connection',
			reference: `${grpc} Concurrent Requests`,
			level: 'SHOULD',
			run: async (target) =>
				withConnection(target, async (session) => {
					const calls = Array.from({ length: 32 }, () =>
						callWith(session, pathOf(signal), frameOf(body()), target.headers),
					)
					for (const answer of await Promise.all(calls)) expectEmpty(answer)
				}),
		},
		{
			name: 'bad-data',
			rule: 'answers INVALID_ARGUMENT to bytes that are not a message, with BadRequest in the details',
			reference: `${grpc} Failures, Bad Data`,
			level: 'MUST',
			run: async (target) => {
				const answer = await call(target, signal, Buffer.from([0x0a, 0xff, 0xff]))
				expectStatus(answer, 3)
				const { details } = readStatus(answer.details, 'protobuf')
				expectThat(
					details.some((type) => type.endsWith('google.rpc.BadRequest')),
					'BadRequest is not in the details',
				)
			},
		},
		{
			name: 'size-limit',
			rule: 'answers RESOURCE_EXHAUSTED without RetryInfo to a message over its limit',
			reference: 'OTLP 1.11 Size Limits',
			level: 'MUST',
			run: async (target) => {
				const headers = { ...target.headers, 'grpc-encoding': 'gzip' }
				const frame = frameOf(gzipSync(Buffer.alloc(67 * 1024 * 1024)), true)
				const answer = await withConnection(target, (session) =>
					callWith(session, pathOf(signal), frame, headers),
				)
				expectStatus(answer, 8)
				const { details } = readStatus(answer.details, 'protobuf')
				expectThat(!details.some((type) => type.endsWith('RetryInfo')), 'it invites to a retry')
			},
		},
		{
			name: 'unknown-compression',
			rule: 'answers UNIMPLEMENTED to an unknown grpc-encoding, and lists those it supports',
			reference: 'gRPC Compression',
			level: 'MUST',
			run: async (target) => {
				const headers = { ...target.headers, 'grpc-encoding': 'rot13' }
				const frame = frameOf(body(), true)
				const answer = await withConnection(target, (session) =>
					callWith(session, pathOf(signal), frame, headers),
				)
				expectStatus(answer, 12)
				expectThat(String(answer.headers['grpc-accept-encoding']).includes('gzip'), 'it names none')
			},
		},
		{
			name: 'deadline',
			rule: 'ends a call whose deadline has passed',
			reference: 'gRPC Deadlines',
			level: 'MUST',
			run: async (target) =>
				expectStatus(await call(target, signal, body(), { 'grpc-timeout': '1n' }), 0, 1, 4),
		},
		{
			name: 'credential',
			rule: 'permanently refuses a call without a credential (if it requires credentials)',
			reference: `${grpc} Failures`,
			level: 'MUST',
			run: async (target) => {
				const answer = await withConnection(target, (session) =>
					callWith(session, pathOf(signal), frameOf(body()), {}),
				)
				expectStatus(answer, 0, 16, 7)
			},
		},
	]
}

const others: Rule[] = [
	{
		name: 'partial-success',
		rule: 'accepts the valid spans of a call and reports how many it rejected, and why',
		reference: `${grpc} Response, Partial Success`,
		level: 'MUST',
		run: async (target) => {
			const items = [newSpan(), newSpan({ traceId: '' })]
			const answer = await call(target, 'traces', encode('traces', 'protobuf', requestOf('traces', items)))
			expectStatus(answer, 0)
			const { rejected, errorMessage } = readPartialSuccess(
				answer.messages[0] ?? Buffer.alloc(0),
				'traces',
				'protobuf',
			)
			expectThat(rejected === 1, `it says that ${rejected} spans were rejected, not 1`)
			expectThat(errorMessage !== '', 'it does not say why')
		},
	},
	{
		name: 'unknown-method',
		rule: 'answers UNIMPLEMENTED to an unknown service',
		reference: 'gRPC Status Codes',
		level: 'MUST',
		run: async (target) => {
			const path = '/opentelemetry.proto.collector.nothing.v1.NothingService/Export'
			const answer = await withConnection(target, (session) =>
				callWith(session, path, frameOf(Buffer.alloc(0)), target.headers),
			)
			// gRPC clients treat a plain 404 as UNIMPLEMENTED.
			if (answer.headers[':status'] !== 404) expectStatus(answer, 12)
		},
	},
]

export const grpcCases: readonly Case[] = [
	...signals.flatMap((signal) => rulesOf(signal).map(named(`grpc/${signal}`))),
	...others.map(named('grpc')),
]

function named(prefix: string): (rule: Rule) => Case {
	return ({ name, ...rule }) => ({ id: `${prefix}/${name}`, transport: 'grpc', ...rule })
}
