import type { Exchange, ExchangePart } from '../../../telemetry/index.ts'

/** More of one call fill the screen, not the reader's head. */
const mostParts = 20

/**
 * What a call says that no call before it has said: requests repeat the whole conversation. The answer of the call before,
 * which the next request carries as the model's own message, was shown as that answer.
 */
export function newParts(
	{ parts }: Pick<Exchange, 'parts'>,
	earlier: readonly Pick<Exchange, 'parts'>[],
): ExchangePart[] {
	const said = spoken(parts)
	const known = Math.max(0, ...earlier.map((other) => commonLength(said, spoken(other.parts))))
	const rest = said.slice(known)
	const isOwnAnswer = known > 0 && rest[0] !== undefined && isOfModel(rest[0])
	const answers = parts.filter(({ kind }) => kind === 'answer')
	return [...(isOwnAnswer ? rest.slice(1) : rest), ...answers].slice(-mostParts)
}

const spoken = (parts: readonly ExchangePart[]) =>
	parts.filter(({ kind }) => kind === 'system' || kind === 'message')

const isOfModel = ({ name }: ExchangePart) => name === 'assistant' || name === 'model'

function commonLength(one: readonly ExchangePart[], other: readonly ExchangePart[]): number {
	const different = one.findIndex(({ hash }, at) => hash !== other[at]?.hash)
	return different < 0 ? one.length : different
}
