import { useEffect, useState } from 'react'
import { takeLinkSecret } from './link-secret.ts'

/** The secret of the link that opened this screen. Opening another link in the same tab restarts the screen. */
export function useLinkSecret(take = takeLinkSecret): string {
	const [secret] = useState(take)
	useEffect(() => {
		const onOtherLink = () => {
			if (location.hash) location.reload()
		}
		addEventListener('hashchange', onOtherLink)
		return () => removeEventListener('hashchange', onOtherLink)
	}, [])
	return secret
}
