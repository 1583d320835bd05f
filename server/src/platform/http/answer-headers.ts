import type { ServerResponse } from 'node:http'

/**
 * Headers of every answer: nothing is guessed, framed or run. Pages set a policy of their own; whatever else a browser
 * shows (what a model provider answered, say) is no page of ours and reaches neither our cookies nor our API.
 */
const contentPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox"
const yearS = 31_536_000

/** `https`: whether people come by https, which their browsers then remember. */
export function setAnswerHeaders(response: ServerResponse, https: boolean): void {
	response.setHeader('x-content-type-options', 'nosniff')
	response.setHeader('content-security-policy', contentPolicy)
	if (https) response.setHeader('strict-transport-security', `max-age=${yearS}`)
}
