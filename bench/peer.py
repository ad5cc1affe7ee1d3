"""A plain FastAPI service with the list and the details of documents: SQLAlchemy over asyncpg, answers by Pydantic, and no
authentication, permissions or audit trail. `uvicorn peer:app`; DSN and TENANT are in its environment."""

import os
from datetime import date, datetime
from typing import List, Optional

from fastapi import Depends, FastAPI, HTTPException, Query
from pydantic import BaseModel
from sqlalchemy import BigInteger, Column, Date, DateTime, ForeignKey, String, func, select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from sqlalchemy.orm import declarative_base, joinedload, relationship, sessionmaker

engine = create_async_engine(
    os.environ["DSN"],
    pool_size=10,
    connect_args={"server_settings": {"app.tenant_id": os.environ["TENANT"], "app.user_id": ""}},
)
make_session = sessionmaker(engine, class_=AsyncSession, expire_on_commit=False)
Base = declarative_base()


class User(Base):
    __tablename__ = "users"
    id = Column(BigInteger, primary_key=True)
    username = Column(String)
    full_name = Column(String)


class DocumentType(Base):
    __tablename__ = "document_types"
    id = Column(BigInteger, primary_key=True)
    name = Column(String)


class Version(Base):
    __tablename__ = "document_versions"
    id = Column(BigInteger, primary_key=True)
    version = Column(String)
    status = Column(String)
    title = Column(String)
    category = Column(String)
    description = Column(String)
    keywords = Column(ARRAY(String))
    file_name = Column(String)
    effective_date = Column(Date)
    review_due_date = Column(Date)


class Document(Base):
    __tablename__ = "documents"
    id = Column(BigInteger, primary_key=True)
    number = Column(String)
    created_at = Column(DateTime(timezone=True))
    updated_at = Column(DateTime(timezone=True))
    document_type_id = Column(BigInteger, ForeignKey("document_types.id"))
    owner_id = Column(BigInteger, ForeignKey("users.id"))
    shown_version_id = Column(BigInteger, ForeignKey("document_versions.id"))
    document_type = relationship(DocumentType)
    owner = relationship(User)
    shown = relationship(Version)


class Orm(BaseModel):
    class Config:
        orm_mode = True


class Person(Orm):
    id: int
    username: str
    full_name: Optional[str]


class TypeName(Orm):
    id: int
    name: str


class VersionShown(Orm):
    version: str
    status: str
    title: str
    category: Optional[str]
    description: Optional[str]
    keywords: List[str]
    file_name: str
    effective_date: Optional[date]
    review_due_date: Optional[date]


class DocumentShown(Orm):
    id: int
    number: str
    created_at: datetime
    updated_at: datetime
    document_type: TypeName
    owner: Person
    shown: VersionShown


class Page(BaseModel):
    items: List[DocumentShown]
    total: int
    page: int
    page_size: int


async def session():
    async with make_session() as opened:
        yield opened


app = FastAPI()
whole = (joinedload(Document.document_type), joinedload(Document.owner), joinedload(Document.shown))


@app.get("/api/documents/", response_model=Page)
async def list_documents(
    page: int = Query(1, ge=1), page_size: int = Query(20, ge=1, le=100), db: AsyncSession = Depends(session)
):
    total = await db.scalar(select(func.count()).select_from(Document))
    found = select(Document).options(*whole).order_by(Document.id.desc())
    items = (await db.scalars(found.limit(page_size).offset((page - 1) * page_size))).all()
    return {"items": items, "total": total, "page": page, "page_size": page_size}


@app.get("/api/documents/{id}", response_model=DocumentShown)
async def document(id: int, db: AsyncSession = Depends(session)):
    found = await db.scalar(select(Document).options(*whole).where(Document.id == id))
    if found is None:
        raise HTTPException(404, "Document not found")
    return found
