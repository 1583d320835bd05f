import type { ToolDefinition } from '../server-entry.ts'
import type { Introduction } from './introduction.ts'

/** An opened exchange with a server, whichever era and transport it speaks. */
export interface Conversation {
	transportType: 'http' | 'sse'
	protocolVersion: string
	introduction: Introduction
	/** From the request for its introduction to the answer. */
	latencyMs: number
	/** All tools; none when the server does not announce the capability. */
	listTools(): Promise<ToolDefinition[]>
	/** Ends the session where there is one; never rejects. */
	end(): Promise<void>
}
