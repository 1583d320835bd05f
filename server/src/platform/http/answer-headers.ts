import type { ServerResponse } from 'node:http'

/**
 * Headers of every answer: nothing is guessed, framed or run. Pages set a policy of their own; whatever else a browser
 * shows (what a model provider answered, say) is no page of ours and reaches neither our cookies nor our API.
 */
const always = {
	'x-content-type-options': 'nosniff',
	'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
}
const yearS = 31_536_000

/** `https`: whether people come by https, which their browsers then remember. */
export function setAnswerHeaders(response: ServerResponse, https: boolean): void {
	for (const [name, value] of Object.entries(always)) response.setHeader(name, value)
	if (https) response.setHeader('strict-transport-security', `max-age=${yearS}`)
}
