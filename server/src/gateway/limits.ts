/** Time and size limits of the gateway. */
export interface Limits {
	/** Largest request body, in bytes. */
	bodyBytes: number
	/** Largest single message from an upstream, in bytes. */
	answerBytes: number
	/** How long an upstream may be silent, before its first byte and between bytes. */
	idleMs: number
	/** Longest call, even if data keeps arriving. */
	totalMs: number
	/** Longest wait for a client's answer to an input request. */
	askMs: number
	/** Longest handshake with an upstream. */
	handshakeMs: number
	/** Running time after which a call may be waiting for a request that its server sends on the session's stream only. */
	slowCallMs: number
	/** How long a list of prompts or resources waits for a server. */
	listMs: number
	/** Items on one page of a list. */
	pageItems: number
	/** Interval of keep-alive messages on an open stream. */
	heartbeatMs: number
	/** Requests in one batch (protocol 2025-03-26). */
	batchSize: number
}

export const defaultLimits: Limits = {
	bodyBytes: 8 * 1024 * 1024,
	answerBytes: 32 * 1024 * 1024,
	idleMs: 120_000,
	totalMs: 300_000,
	askMs: 600_000,
	handshakeMs: 10_000,
	slowCallMs: 5_000,
	listMs: 2_000,
	pageItems: 1_000,
	heartbeatMs: 15_000,
	batchSize: 100,
}

/** Overrides the limits that an operator can set. */
export function gatewayLimits(settings: {
	MCP_MAX_BODY_BYTES: number
	MCP_IDLE_MS: number
	MCP_CALL_MS: number
}): Partial<Limits> {
	const { MCP_MAX_BODY_BYTES: bodyBytes, MCP_IDLE_MS: idleMs, MCP_CALL_MS: totalMs } = settings
	return { bodyBytes, idleMs, totalMs }
}
