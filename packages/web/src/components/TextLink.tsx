import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { classNames } from './class-names.ts';

export interface TextLinkProps {
  /** A page of this app. */
  readonly href: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A link to another page within a text. */
export function TextLink({ href, className, children }: TextLinkProps) {
  return (
    <Link href={href} className={classNames('text-accent-strong underline underline-offset-2', className)}>
      {children}
    </Link>
  );
}
