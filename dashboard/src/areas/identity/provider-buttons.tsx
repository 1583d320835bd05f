import type { Schemas } from '../../api.ts'
import { basePath } from '../../lib/base-url.ts'
import { buttonClass } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { localPath } from './use-sign-in.ts'

interface ProviderButtonsProps {
	providers: readonly Schemas['SignInProvider'][]
	/** The screen to open afterwards. */
	next?: string | undefined
	/** Whether another way to sign in is shown above. */
	isSecond: boolean
}

/** Sign-in with accounts at providers. They are plain links, because the browser leaves this page. */
export function ProviderButtons({ providers, next = '/', isSecond }: ProviderButtonsProps) {
	if (providers.length === 0) return null
	const returnTo = encodeURIComponent(localPath(next))
	return (
		<div className="grid gap-2">
			{isSecond && (
				<p className="mt-4 mb-2 flex items-center gap-3 text-xs text-ink-3 before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
					or
				</p>
			)}
			{providers.map(({ id, label }) => (
				<a
					key={id}
					href={`${basePath}/auth/oauth/${encodeURIComponent(id)}/start?return_to=${returnTo}`}
					className={cn(buttonClass(), 'w-full')}
				>
					Continue with {label}
				</a>
			))}
		</div>
	)
}
