import { expect, test } from 'bun:test';
import { measureXml } from '../../src/knowledge/measure-xml.ts';

test.each<[string, number, number]>([
  ['', 0, 0],
  ['no markup', 0, 0],
  ['<a/>', 1, 1],
  ['<a></a>', 1, 1],
  ['<a><b/><b/></a>', 3, 2],
  ['<a><b><c/></b></a><d/>', 4, 3],
  ['<?xml version="1.0"?><a/>', 1, 1],
  ['<a x="/>" y=\'>\'><b/></a>', 2, 2],
  ['<!-- <a><a><a> > --><b/>', 1, 1],
  ['<a><![CDATA[<b><b>]]></a>', 1, 1],
  ['<!DOCTYPE a><a/>', 1, 1],
  ['<a><b', 2, 2],
  ['<a "><b><b><b>', 1, 1],
  ['<!-- open', 0, 0],
  ['a < b', 1, 1],
])('%j has %i elements, %i deep', (xml, elements, depth) => {
  expect(measureXml(new TextEncoder().encode(xml))).toEqual({ elements, depth });
});
