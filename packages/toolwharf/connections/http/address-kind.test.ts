import { expect, test } from 'vitest';
import { addressKind, literalAddress } from './address-kind.ts';

test.each([
  ['93.184.216.34', 'public'],
  ['8.8.8.8', 'public'],
  ['2606:4700:4700::1111', 'public'],
  ['64:ff9b::808:808', 'public'],
  ['::ffff:8.8.8.8', 'public'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['::1', 'loopback'],
  ['::ffff:7f00:1', 'loopback'],
  ['64:ff9b::7f00:1', 'loopback'],
  ['169.254.169.254', 'link-local'],
  ['fe80::1', 'link-local'],
  ['fe80::1%eth0', 'link-local'],
  ['::ffff:a9fe:a9fe', 'link-local'],
  ['64:ff9b::a9fe:a9fe', 'link-local'],
  ['fd00:ec2::254', 'link-local'],
  ['10.0.0.1', 'private'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.1.1', 'private'],
  ['100.64.0.1', 'private'],
  ['100.100.100.200', 'private'],
  ['0.0.0.0', 'loopback'],
  ['0.0.0.1', 'private'],
  ['224.0.0.1', 'private'],
  ['255.255.255.255', 'private'],
  ['198.18.0.1', 'private'],
  ['192.0.2.1', 'private'],
  ['::', 'loopback'],
  ['::ffff:0.0.0.0', 'loopback'],
  ['fc00::1', 'private'],
  ['ff02::1', 'private'],
  ['2002:7f00:1::', 'private'],
  ['2001:0:4136:e378:8000:63bf:3fff:fdd2', 'private'],
  ['64:ff9b:1::a00:1', 'private'],
  ['not an address', 'private'],
])('%s is a %s address', (address, kind) => {
  expect(addressKind(address)).toBe(kind);
});

test.each([
  ['172.15.255.255', 'public'],
  ['172.32.0.0', 'public'],
  ['100.63.255.255', 'public'],
  ['100.128.0.0', 'public'],
  ['169.253.255.255', 'public'],
  ['11.0.0.0', 'public'],
  ['223.255.255.255', 'public'],
])('%s, just outside a range, is %s', (address, kind) => {
  expect(addressKind(address)).toBe(kind);
});

test.each([
  ['http://127.1/', '127.0.0.1'],
  ['http://2130706433/', '127.0.0.1'],
  ['http://0x7f.0.0.1/', '127.0.0.1'],
  ['http://0251.0376.0251.0376/', '169.254.169.254'],
  ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
  ['http://localhost/', '127.0.0.1'],
  ['http://a.LOCALHOST./', '127.0.0.1'],
  ['http://localhost.example.com/', undefined],
  ['http://example.com/', undefined],
])('the address written in %s is %s', (url, address) => {
  expect(literalAddress(new URL(url))).toBe(address);
});
