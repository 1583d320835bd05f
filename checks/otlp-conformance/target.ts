/** The receiver under test. */
export interface Target {
	/** URL of OTLP/HTTP, without a path. */
	url: string
	/** `host:port` of OTLP/gRPC; null skips the gRPC cases. */
	grpc: string | null
	/** The credential, sent with every request. */
	headers: Readonly<Record<string, string>>
}

export const signals = ['traces', 'metrics', 'logs'] as const
export type Signal = (typeof signals)[number]
export type Encoding = 'protobuf' | 'json'
export const encodings = ['protobuf', 'json'] as const

/** One rule of the protocol. */
export interface Case {
	id: string
	/** What a receiver has to do, as a phrase. */
	rule: string
	/** The section of the OTLP specification or of the proto3 JSON mapping that says so. */
	reference: string
	level: 'MUST' | 'SHOULD' | 'MAY'
	transport: 'http' | 'grpc'
	/** Throws an error that says what is wrong. */
	run(target: Target): Promise<void>
}

/** Fails a case with a message unless the condition holds. */
export function expectThat(holds: boolean, otherwise: string): asserts holds {
	if (!holds) throw new Error(otherwise)
}
