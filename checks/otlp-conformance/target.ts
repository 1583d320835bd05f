/** The receiver under test. */
export interface Target {
	/** Of OTLP/HTTP, without a path. */
	url: string
	/** `host:port` of OTLP/gRPC; without it the cases of gRPC are left out. */
	grpc: string | null
	/** Sent with every request: the credential. */
	headers: Readonly<Record<string, string>>
}

export const signals = ['traces', 'metrics', 'logs'] as const
export type Signal = (typeof signals)[number]
export type Encoding = 'protobuf' | 'json'
export const encodings = ['protobuf', 'json'] as const

/** One rule of the protocol. */
export interface Case {
	id: string
	/** What a receiver has to do, in a sentence. */
	rule: string
	/** Where that is written: a section of the OTLP specification, or of the proto3 JSON mapping. */
	reference: string
	level: 'MUST' | 'SHOULD' | 'MAY'
	transport: 'http' | 'grpc'
	/** Throws what went wrong. */
	run(target: Target): Promise<void>
}

/** Fails a case with a sentence. */
export function expectThat(holds: boolean, otherwise: string): asserts holds {
	if (!holds) throw new Error(otherwise)
}
