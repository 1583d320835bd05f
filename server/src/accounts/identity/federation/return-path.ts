const base = 'http://base.invalid'

/**
 * The path below `/ui/` to which a sign-in may lead back; anything else is `/ui/`. A path is taken only when a browser
 * reads it exactly as it is written: no other way of writing the same place, so nothing can hide in one.
 */
export function returnPath(wanted: string | undefined): string {
	return wanted !== undefined && isPlain(wanted) ? wanted : '/ui/'
}

function isPlain(wanted: string): boolean {
	if (!/^\/ui\/[\w\-./~%?&=+:,@!$'()*;#]*$/.test(wanted)) return false
	const [path = ''] = wanted.split(/[?#]/, 1)
	if (path.includes('//') || /%(?:2e|2f|5c|25|0|1)/i.test(path)) return false
	const url = URL.parse(wanted, base)
	return url?.origin === base && `${url.pathname}${url.search}${url.hash}` === wanted
}
