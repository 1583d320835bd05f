import { type SignInErrorCode, signInErrors } from '@signalbox/contract/sign-in-errors'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Notice } from '../../ui/notice.tsx'
import { meQuery } from './session.ts'

/** Why signing in with a provider failed. A person who only wanted to link an account is still signed in. */
export function SignInFailure({ code }: { code: string }) {
	const { data: me } = useQuery(meQuery)
	const { title, remedy } = Object.hasOwn(signInErrors, code)
		? signInErrors[code as SignInErrorCode]
		: signInErrors.failed
	return (
		<Notice tone="bad" title={title} className="mb-5">
			<p>{remedy.replaceAll('`', '')}</p>
			{me && (
				<p className="mt-1">
					You are still signed in as {me.user.email}.{' '}
					<Link to="/account" className="font-medium underline underline-offset-2">
						Back to your account
					</Link>
				</p>
			)}
		</Notice>
	)
}
