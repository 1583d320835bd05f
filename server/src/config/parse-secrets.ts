import type { TokenPrefix } from '@signalbox/contract'
import { parseMasterKey } from '../platform/crypto/master-key.ts'
import { isMadeUpToken, isToken } from '../platform/crypto/token.ts'

/** The text of a master key, refused when a person made it up. */
export function masterKey(value: string): string {
	parseMasterKey(value)
	return value
}

/** A credential of ours; samples like `sk_service_aaaa…` are refused even with a right checksum. */
export function credential(prefix: TokenPrefix, remedy: string) {
	return (value: string): string => {
		if (!isToken(value, prefix))
			throw new Error(`is not of the form ${prefix} + 43 characters + checksum; make one with ${remedy}`)
		if (isMadeUpToken(value)) throw new Error(`is not random; make one with ${remedy}`)
		return value
	}
}

/** A secret of the operator's own choice; one that somebody could guess is refused. */
export function chosenSecret(value: string): string {
	if (value.length >= 16 && new Set(value).size >= 8 && !/changeme|password/i.test(value)) return value
	throw new Error('can be guessed: give at least 16 random characters, say of `openssl rand -hex 32`')
}
