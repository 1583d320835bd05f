import type { CallBody } from '../call-body.ts'

/** A body that asks for another model and is the same to the byte else; null where no model stands in it that can be told. */
export function replaceModel(body: CallBody, model: string): CallBody | null {
	const member = body.member('model')
	if (!member || body.plain[member.from] !== 0x22) return null
	return body.edited(member.from, member.to, JSON.stringify(model))
}
