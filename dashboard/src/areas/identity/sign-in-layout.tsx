import { type ReactNode, useEffect } from 'react'
import { Brand } from '../../app/brand.tsx'

/** The frame of the screens before sign-in. */
export function SignInLayout({
	title,
	text,
	children,
	below,
}: {
	title: string
	text?: ReactNode
	children: ReactNode
	below?: ReactNode
}) {
	useEffect(() => {
		document.title = `${title} · Signalbox`
	}, [title])
	return (
		<main className="grid min-h-dvh place-items-center p-4">
			<div className="w-full max-w-sm">
				<div className="mb-6 flex justify-center">
					<Brand />
				</div>
				<div className="rounded-xl border border-line bg-surface p-6 shadow-xs">
					<h1 className="text-lg font-semibold tracking-tight">{title}</h1>
					{text && <p className="mt-1 text-ink-2">{text}</p>}
					<div className="mt-5">{children}</div>
				</div>
				{below && <p className="mt-4 text-center text-ink-2">{below}</p>}
			</div>
		</main>
	)
}
